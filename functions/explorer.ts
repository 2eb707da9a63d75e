import { explorerFiles } from '#explorer'
import { explorerPage } from '#lib'

/** GET explorer and explorer/{file}: a page without data that draws every table from its structure. */
export const handler = explorerPage(explorerFiles)
