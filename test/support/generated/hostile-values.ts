import fc from 'fast-check';

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Text that has broken programs before. */
export const hostileTexts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ufeff',
    '..',
    '../../etc/passwd',
    '%',
    '%2e%2e%2f',
    '{jobId}',
    '$context.requestId',
    '${jndi:ldap://127.0.0.1/x}',
    "'; DROP TABLE jobs; --",
    '<script>alert(1)</script>',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'null',
    'NaN',
    '-0',
    '1e999',
    '٣',
    '\u202egnp.exe',
    '\ud83d\ude00'.repeat(40),
    '\ud800',
    'x\udfff',
    'JOB_01J9ZQ4M6T8V0X2Y4A6C8E0G1H',
    `job_${'z'.repeat(26)}`,
    `job_${'0'.repeat(26)}\n`,
    'a'.repeat(65),
    'a'.repeat(257),
    'a'.repeat(2_001),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);

/** Numbers at and beyond the edges of what programs count with. */
const hostileNumbers = fc.constantFrom(
  0,
  -0,
  -1,
  0.5,
  1e-320,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e21,
  Number.MAX_VALUE,
);

/** JSON values of any type, mostly not what is asked for. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  hostileTexts,
  hostileNumbers,
  fc.constantFrom(null, true, false, [], {}, [[]], [null], { a: {} }, { length: 1e9 }),
  fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }),
  fc.array(hostileTexts, { maxLength: 120 }),
);

/** Bodies that are no JSON, or JSON of an unusual kind. */
export const hostileBodies: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  fc.constantFrom(
    '',
    ' \n\t',
    '{',
    '{"agent":"echo"',
    '{"agent":"echo",}',
    "{'agent':'echo'}",
    '// no\n{}',
    'undefined',
    'NaN',
    '-Infinity',
    '01',
    '1e999',
    '{"agent":"echo","input":-1e999}',
    '123456789012345678901234567890',
    '"\\ud800"',
    '"\\u0000"',
    '{"agent":"echo","agent":7,"input":1}',
    '{"__proto__":{"agent":"echo"},"agent":"echo","input":1}',
    '{"agent":"echo","input":{"constructor":{"prototype":{"x":1}}}}',
    '\ufeff{"agent":"echo","input":1}',
    'agent=echo&input=1',
    '<job/>',
    '--x\r\nContent-Disposition: form-data; name="agent"\r\n\r\necho\r\n--x--',
    `{"agent":"echo","input":${deep(127)}}`,
    `{"agent":"echo","input":${deep(128)}}`,
    deep(129),
    deep(100_000),
    `{"hint":"${'x'.repeat(33_000)}"}`,
    `"${'x'.repeat(262_145)}"`,
    `{"agent":"echo","input":"${'ü'.repeat(2 ** 20)}"}`,
  ),
  fc.uint8Array({ maxLength: 64 }),
  hostileJson.map((value) => JSON.stringify(value)),
);

/** Values that HTTP can carry in a header, whatever they mean. */
export const hostileHeaders: fc.Arbitrary<string> = fc
  .oneof(
    hostileTexts,
    fc.constantFrom(
      '"',
      '"a',
      '"a\\"',
      'a,b',
      '*',
      '"*"',
      'W/""',
      ',',
      'wait=',
      'wait=-1',
      'wait=x;y',
      'bytes=0-',
    ),
    fc.string({
      unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
    }),
  )
  .map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?'));

/** Segments of a path as they stand in the request line. */
export const hostileSegments: fc.Arbitrary<string> = fc
  .oneof(
    hostileTexts.map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom(
      '%',
      '%zz',
      '%2F',
      '%2f..%2f',
      '%00',
      '%C0%AF',
      '%ED%A0%80',
      '%25252F',
      '*',
      ';',
      '$',
      'x'.repeat(3_000),
    ),
  )
  // Clients resolve these themselves.
  .filter((segment) => !/^(?:\.|%2e){1,2}$/i.test(segment));
