import { it } from 'vitest'
import { postgresMajor } from '../../../infra/local/database/postgres-binaries.ts'

/** `it`, of what Postgres has since a major version: skipped on an older one. */
export const itSince = (major: number): ReturnType<typeof it.skipIf> => it.skipIf(postgresMajor() < major)
