/** A link of a response, also under the names that older clients read. Data without a `url` is returned as it is. */
export const downloadData = (data: object): object => {
  if (!('url' in data)) return data
  const name = 'filename' in data ? { name: data.filename } : {}
  return { file: data.url, ...name, ...data }
}
