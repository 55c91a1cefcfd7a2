import { AppError } from '../../errors.ts';
import { LIMITS } from '../policy/limits.ts';

/**
 * The id of a step within its scope: `page[12]/summarize`.
 * @throws AppError `invalid_step_id` naming the id, the rule and the limit.
 */
export function scopedId(scope: string, id: string): string {
  // Brackets and slashes are what scopes are written with: in an id they would let two paths meet.
  if (typeof id !== 'string' || !/^[^/[\]\p{Cc}]+$/u.test(id) || !id.isWellFormed()) {
    throw invalidId(
      id,
      'at least one character, none of them "/", "[", "]", a control character or half a surrogate pair',
    );
  }
  const scoped = scope === '' ? id : `${scope}/${id}`;
  if (scoped.length > LIMITS.stepIdChars) {
    throw invalidId(scoped, `at most ${LIMITS.stepIdChars} characters with its scopes`);
  }
  return scoped;
}

/** Claims an id for this run of the agent. */
export function claimId(used: Set<string>, scoped: string): void {
  if (used.has(scoped)) {
    throw new AppError(
      `the id ${JSON.stringify(scoped)} is used twice: ids are unique within their scope; give one of them another id, or open a scope with ctx.scope`,
      { code: 'step_id_reused', details: { stepId: scoped } },
    );
  }
  used.add(scoped);
}

function invalidId(id: string, allowed: string): AppError {
  return new AppError(`${JSON.stringify(id)} is no valid id: allowed is ${allowed}`, {
    code: 'invalid_step_id',
    details: { stepId: id },
  });
}
