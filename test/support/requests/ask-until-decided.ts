/** The refusals of a request that waited too long for rows or for a connection: nothing of it was done. */
const passing = ['row_busy', 'unavailable']

/** Asks again while a slow machine lets a request wait too long. */
export async function askUntilDecided<Response extends { readonly json: { readonly code?: string } }>(
  ask: () => Promise<Response>,
): Promise<Response> {
  const response = await ask()
  return passing.includes(response.json.code ?? '') ? askUntilDecided(ask) : response
}
