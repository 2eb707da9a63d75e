/** The refusals of a request that waited too long for rows or for a connection: nothing of it was done. */
const passing = ['row_busy', 'unavailable']

/** Asks again while a slow machine lets a request wait too long. */
export async function askUntilDecided<Answer extends { readonly json: { readonly code?: string } }>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const answer = await ask()
  return passing.includes(answer.json.code ?? '') ? askUntilDecided(ask) : answer
}
