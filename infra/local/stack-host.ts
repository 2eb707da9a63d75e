/** The services of the process that every part of the stack uses. */
export interface StackHost {
  readonly directory: string
  readonly report: (line: string) => void
  /**
   * Registers what ends a part that has started; parts are ended in reverse order. Throws when the stack is to stop.
   */
  readonly onStop: (end: () => Promise<void> | void) => void
  /** Called when a part that the stack cannot do without has ended by itself. */
  readonly onLoss: (reason: string) => void
}

interface Part {
  readonly ended: Promise<unknown>
  readonly stop: () => Promise<void>
}

/** Ties a started part to the stack: if one of them ends, the other ends too. */
export function keep<Started extends Part>({ onStop, onLoss }: StackHost, name: string, part: Started): Started {
  void part.ended.then(() => onLoss(`${name} has ended by itself.`))
  onStop(part.stop)
  return part
}
