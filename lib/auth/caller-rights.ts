import type { Identity } from './identity.ts'

/** Claims that change with each token and say nothing of rights. */
const ofToken: ReadonlySet<string> = new Set(['iat', 'exp', 'nbf', 'jti', 'auth_time', 'event_id', 'origin_jti'])

/** The claims that a scope, a condition or a policy may depend on. A renewed token has the same. */
export const callerRights = ({ claims }: Identity): readonly (readonly [claim: string, value: unknown])[] =>
  Object.entries(claims).filter(([claim]) => !ofToken.has(claim))
