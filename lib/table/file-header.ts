/** The name of the sheet that describes an exported file, and of the column that names its rows. */
export const roundTripName = 'table_control'

/** Returns a label as the header of a file is compared: programs of tables write line ends in their own way. */
export const headerText = (label: string): string => label.replace(/\s+/g, ' ').trim()
