import { randomBytes } from 'node:crypto';

/** 256 random bits; the specification asks for 192 to 512. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
