/** A moment as `yyyy-MM-dd HH:mm` in a time zone. */
export function momentText(moment: Date, timeZone: string): string {
  // The one locale whose dates have this form.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return format.format(moment)
}
