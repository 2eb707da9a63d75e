import type { ResolveHookSync } from 'node:module'

export declare const resolveQuickly: ResolveHookSync
