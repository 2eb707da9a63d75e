import { type BulkOutcome, type CountedNoun, countNoun } from '#lib'

const reportNoun: CountedNoun = {
  en: ['report', 'reports'],
  ar: { none: 'لا بلاغات', one: 'بلاغ واحد', two: ['بلاغان', 'بلاغين'], few: 'بلاغات', many: 'بلاغًا', other: 'بلاغ' },
}

const assigneeNoun: CountedNoun = {
  en: ['assignee', 'assignees'],
  ar: {
    none: 'لا مكلّفين',
    one: 'مكلّف واحد',
    two: ['مكلّفان', 'مكلّفَين'],
    few: 'مكلّفين',
    many: 'مكلّفًا',
    other: 'مكلّف',
  },
}

/** Returns a notification for each assignee of the reports, with the number of reports that are waiting. */
export function createReminders(reports: readonly { readonly assignee: string | null }[]) {
  const assigned = Object.groupBy(reports, ({ assignee }) => assignee ?? '')
  return Object.entries(assigned).flatMap(([subject, { length: count } = []]) =>
    subject === '' ? [] : [reminder(subject, count)],
  )
}

const reminder = (subject: string, count: number) => ({
  subject,
  title: { en: 'Reports are waiting for you', ar: 'بلاغات بانتظارك' },
  body: { en: `Assigned to you: ${count}`, ar: `عدد البلاغات المكلّف بها: ${count}` },
})

/** Concludes the reminders for the caller who had them sent. */
export function concludeReminders({ data: [assigneeCount = 0], selected }: BulkOutcome) {
  const assignees = countNoun(Number(assigneeCount), assigneeNoun, { genitive: true })
  const reports = countNoun(selected, reportNoun, { genitive: true })
  return {
    title: { en: 'Assignees notified', ar: 'تم إشعار المكلّفين' },
    message: { en: `${assignees.en} notified, of ${reports.en}`, ar: `تم إشعار ${assignees.ar} بشأن ${reports.ar}` },
    data: { assignees: assigneeCount, reports: selected },
  }
}
