type FirstLetters = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm'
type Letter = FirstLetters | 'n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z'

/** A language by its two letters, or one of those that have three. */
type LanguageTag = `${Letter}${Letter}` | 'ckb' | 'fil' | 'haw' | 'kok' | 'yue'

/** The order of a column's texts: `natural`, or a locale such as `ar` or `de-AT`. */
export type Collation = 'natural' | LanguageTag | `${LanguageTag}-${string}`
