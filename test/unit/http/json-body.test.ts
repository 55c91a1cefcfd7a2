import { describe, expect, it } from '@jest/globals';
import { jsonBodyOf } from '../../../lambdas/http/json-body.ts';
import { anEvent } from '../../support/http.ts';

const MIB = 1024 * 1024;
const OPTIONS = { limitBytes: 2 * MIB, advice: 'send less' };

describe('JSON body', () => {
  it.each([
    'hunter2',
    '"hunter2" "hunter2"',
    '{"a":"b",hunter2}',
    `${' '.repeat(30)}hunter2${'x'.repeat(30)}`,
  ])('is not quoted by the refusal of %j', (body) => {
    expect(() => jsonBodyOf(anEvent({ body }), OPTIONS)).toThrow(
      expect.objectContaining({
        code: 'malformed_json',
        message: expect.not.stringContaining('hunter2'),
      }),
    );
  });

  it.each([
    { name: 'no body', body: null, code: 'malformed_json' },
    { name: 'an empty body', body: ' ', code: 'malformed_json' },
    { name: 'half an object', body: '{"a":', code: 'malformed_json' },
    {
      name: 'a number beyond a double',
      body: '{"a":[1e999]}',
      code: 'invalid_request',
      pointer: '/a/0',
    },
    ...['9007199254740993', '-9007199254740993', '12345678901234567890', '1'.repeat(50)].map(
      (number) => ({
        name: `the integer ${number}, which no double holds`,
        body: `{"a":"\\"1","b":[true,${number}]}`,
        code: 'invalid_request',
        pointer: '',
      }),
    ),
    {
      name: 'the field __proto__',
      body: '{"a":{"__proto__":1}}',
      code: 'invalid_request',
      pointer: '/a',
    },
    { name: 'a million levels', body: '['.repeat(MIB) + ']'.repeat(MIB), code: 'invalid_request' },
    { name: 'more than 2 MiB', body: `"${'x'.repeat(2 * MIB - 1)}"`, code: 'payload_too_large' },
    { name: 'more than 2 MiB of UTF-8', body: `"${'ü'.repeat(MIB)}"`, code: 'payload_too_large' },
  ])('refuses $name', ({ body, code, pointer }) => {
    expect(() => jsonBodyOf(anEvent({ body }), OPTIONS)).toThrow(
      expect.objectContaining({
        code,
        ...(pointer !== undefined && {
          facts: { errors: [expect.objectContaining({ pointer })] },
        }),
      }),
    );
  });

  it.each([
    '9007199254740991',
    '9007199254740992',
    '9223372036854775808',
    String(2 ** 64 - 1),
    JSON.stringify(1e300),
    '0.12345678901234567890',
    '1234567890123456.7',
    '"9007199254740993"',
    String.raw`"\\\" 9007199254740993"`,
    '{"9007199254740993":1}',
    '[true,false,-0,1e-7]',
  ])('takes %s', (body) => {
    expect(jsonBodyOf(anEvent({ body }), OPTIONS)).toEqual(JSON.parse(body));
  });

  it('takes exactly 2 MiB', () => {
    const body = `"${'x'.repeat(2 * MIB - 2)}"`;

    expect(jsonBodyOf(anEvent({ body }), OPTIONS)).toHaveLength(2 * MIB - 2);
  });

  it('takes what a gateway with binary media types sends', () => {
    const event = anEvent({ body: Buffer.from('{"a":"ü"}').toString('base64') });

    expect(jsonBodyOf({ ...event, isBase64Encoded: true }, OPTIONS)).toEqual({ a: 'ü' });
  });

  it('takes no body where one may be left out, and only there', () => {
    const options = { ...OPTIONS, whenEmpty: {} };

    expect(jsonBodyOf(anEvent({ body: null }), options)).toEqual({});
    expect(jsonBodyOf(anEvent({ body: ' \n' }), options)).toEqual({});
    expect(jsonBodyOf(anEvent({ body: 'null' }), options)).toBeNull();
  });
});
