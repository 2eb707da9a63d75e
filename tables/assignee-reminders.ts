import { type BulkOutcome, type CountedNoun, countNoun, notify, type TransactionSession } from '#lib'

const reportNoun: CountedNoun = {
  en: ['report', 'reports'],
  ar: { none: 'لا بلاغات', one: 'بلاغ واحد', two: ['بلاغان', 'بلاغين'], few: 'بلاغات', many: 'بلاغًا', other: 'بلاغ' },
}

const assigneeNoun: CountedNoun = {
  en: ['assignee', 'assignees'],
  ar: {
    none: 'لا مكلَّفين',
    one: 'مكلَّف واحد',
    two: ['مكلَّفان', 'مكلَّفَين'],
    few: 'مكلَّفين',
    many: 'مكلَّفًا',
    other: 'مكلَّف',
  },
}

/** Notifies each assignee of the number of reports that are waiting. Returns the number of assignees. */
export async function remindAssignees(
  db: TransactionSession,
  reports: readonly { readonly assignee: string | null }[],
) {
  const assigned = Object.groupBy(reports, ({ assignee }) => assignee ?? '')
  const reminders = Object.entries(assigned).flatMap(([subject, { length: count } = []]) =>
    subject === '' ? [] : [createReminder(subject, count)],
  )
  await notify(db, reminders)
  return reminders.length
}

const createReminder = (subject: string, count: number) => ({
  subject,
  title: { en: 'Reports are waiting for you', ar: 'بلاغات بانتظارك' },
  body: { en: `Assigned to you: ${count}`, ar: `عدد البلاغات التي كُلّفت بها: ${count}` },
})

/** Concludes the reminders for the caller who had them sent. */
export function concludeReminders({ data: [assigneeCount = 0], selected }: BulkOutcome) {
  const assignees = countNoun(Number(assigneeCount), assigneeNoun, { genitive: true })
  const reports = countNoun(selected, reportNoun, { genitive: true })
  return {
    title: { en: 'Assignees notified', ar: 'تم إشعار المكلَّفين' },
    message: { en: `${assignees.en} notified, of ${reports.en}`, ar: `تم إشعار ${assignees.ar} بشأن ${reports.ar}` },
    data: { assignees: assigneeCount, reports: selected },
  }
}
