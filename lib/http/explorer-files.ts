/** A file of the page, named by its content, with its body in both encodings as base64. */
export interface ExplorerFile {
  readonly name: string
  readonly type: string
  readonly br: string
  readonly gzip: string
}

export interface ExplorerFiles {
  readonly script: ExplorerFile
  readonly style: ExplorerFile
}
