import { createMutants } from '../mutant.ts'

export const reportsMutants = createMutants(
  'reports',
  ['test/lib/reports/csv-format.test.ts', 'test/lib/reports/csv.test.ts'],
  [
    ["',': ';\\\\t\\\\r\\\\n|', ';'", "',': ';', ';'"],
    ["const formulaStarts = '=+@\\\\t\\\\r\\\\n", "const formulaStarts = '=+@"],
    ["split = new RegExp(`[${foreignSeparators[',']}]", 'split = new RegExp(`[;|]'],
    ["safe.replaceAll('\"', '\"\"')", 'safe'],
    ["if (text === '') return '\"\"'", "if (text === '') return ''"],
    ['const maxDigits = 15', 'const maxDigits = 17', 'test/lib/reports/excel-cells.test.ts'],
    [
      'const maxCharacters = 32_767',
      'const maxCharacters = 33_767',
      'test/lib/reports/excel-cells.test.ts',
      'test/lib/reports/excel.test.ts',
    ],
    [
      "replace(escapeLike, '_x005F_')\n  cut",
      "replace(escapeLike, '_')\n  cut",
      'test/lib/reports/excel-cells.test.ts',
    ],
    [
      "if (operator !== 'not between') return dates",
      'if (operator !== undefined) return dates',
      'test/lib/reports/report-words.test.ts',
    ],
    ["takesAll(type) && (value === 'all'", "(value === 'all'", 'test/lib/reports/report-words.test.ts'],
    ['const longest = 31', 'const longest = 32', 'test/lib/reports/report-file.test.ts'],
    ['const maxLinks = 65_530', 'const maxLinks = 65_531', 'test/lib/reports/excel-links.test.ts'],
    [
      'const firstSerial = 61\n/**',
      'const firstSerial = 1\n/**',
      'test/lib/reports/excel-cells.test.ts',
      'test/lib/reports/excel.test.ts',
    ],
    [
      "set local idle_in_transaction_session_timeout = '5min'",
      "set local idle_in_transaction_session_timeout = '1ms'",
      'test/lib/reports/report-batches.test.ts',
    ],
    [
      'isEnded = rows.length < batch.size',
      'isEnded = rows.length <= batch.size',
      'test/lib/reports/report-batches.test.ts',
    ],
    ['Math.floor(index / 26) - 1', 'Math.floor(index / 26)', 'test/lib/reports/report-file.test.ts'],
    ['rows === 0 ? [first, texts.noRows] : [first]', '[first, texts.noRows]', 'test/lib/mail/report-mail.test.ts'],
  ],
)
