import { createStore } from '../state/store.ts'

/** The edited file that a user sends back to the open table, until its dialog is closed. */
export const importedFile = createStore<File | undefined>(undefined)
