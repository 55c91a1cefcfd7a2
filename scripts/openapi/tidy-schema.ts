import type { ZodOpenApiOverride } from 'zod-openapi';

/** What zod writes beyond the contract is left out. */
export const tidySchema: ZodOpenApiOverride = ({ jsonSchema, io }) => {
  // Zod drops unknown fields of outputs. Clients must live with fields that later versions add.
  if (io === 'output' && jsonSchema.additionalProperties === false) {
    delete jsonSchema.additionalProperties;
  }
  // The pattern says in 250 characters what the format says.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
};
