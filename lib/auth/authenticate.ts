import type { DefaultMiddleware } from './middleware.ts'
import { bearerToken } from './token-verifier.ts'

/** The default middleware: `Authorization: Bearer <ACCESS_TOKEN>` must hold a token that the verifier accepts. */
export const authenticate: DefaultMiddleware = ({ headers }, verifier) =>
  verifier.verify(bearerToken(headers['authorization']))
