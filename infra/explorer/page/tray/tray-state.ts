import type { Job, JobRef, Notification } from '../service/wire.ts'
import { tabTexts } from '../state/kept-texts.ts'
import { createStore } from '../state/store.ts'

export type TrayTab = 'jobs' | 'notifications'

export interface TrayState {
  readonly jobs: readonly Job[]
  readonly notifications: readonly Notification[]
  readonly unread: number
  /** Whether events arrive as they happen. */
  readonly isLive: boolean
  readonly open: TrayTab | undefined
}

const empty: TrayState = { jobs: [], notifications: [], unread: 0, isLive: false, open: undefined }

/** The jobs that were begun in this tab and the caller's notifications, the newest first. */
export const tray = createStore(empty)

export const changeTray = (changed: Partial<TrayState>): void => tray.set({ ...tray.get(), ...changed })

/** The key under which the tab keeps the titles of its jobs. */
export const titlesKey = 'explorer-titled-jobs'

/** Empties the tray, because another caller has other jobs and notifications. */
export function emptyTray(): void {
  tabTexts.remove(titlesKey)
  tray.set(empty)
}

export const isOver = ({ status }: JobRef): boolean => !['queued', 'running'].includes(status)
