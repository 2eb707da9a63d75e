import { type Bilingual, type CountedNoun, countNoun } from '#lib'

/** The labels of the values that the reports write. */
export const damages = {
  None: { en: 'None', ar: 'لا يوجد' },
  Minor: { en: 'Minor', ar: 'طفيف' },
  Medium: { en: 'Medium', ar: 'متوسط' },
  Substantial: { en: 'Substantial', ar: 'جسيم' },
  C: { en: 'Destroyed', ar: 'تدمير كامل' },
}

export const statuses = {
  open: { label: { en: 'Open', ar: 'مفتوح' }, style: 'warning' },
  reviewed: { label: { en: 'Reviewed', ar: 'تمت مراجعته' }, style: 'success' },
} as const

export const sizes = {
  Small: { en: 'Small', ar: 'صغير' },
  Medium: { en: 'Medium', ar: 'متوسط' },
  Large: { en: 'Large', ar: 'كبير' },
}

export const phases = {
  Parked: { en: 'Parked', ar: 'التوقف' },
  Taxi: { en: 'Taxi', ar: 'السير على الأرض' },
  'Take-off run': { en: 'Take-off run', ar: 'الجري للإقلاع' },
  Climb: { en: 'Climb', ar: 'الصعود' },
  Descent: { en: 'Descent', ar: 'النزول' },
  Approach: { en: 'Approach', ar: 'الاقتراب' },
  'Landing Roll': { en: 'Landing roll', ar: 'الجري بعد الهبوط' },
}

export const timesOfDay = {
  Dawn: { en: 'Dawn', ar: 'الفجر' },
  Day: { en: 'Day', ar: 'النهار' },
  Dusk: { en: 'Dusk', ar: 'الغسق' },
  Night: { en: 'Night', ar: 'الليل' },
}

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

/** Returns the notification that tells an assignee how many reports are waiting. */
export const reminder = (subject: string, count: number) => ({
  subject,
  title: { en: 'Reports are waiting for you', ar: 'بلاغات بانتظارك' },
  body: { en: `Assigned to you: ${count}`, ar: `عدد البلاغات المكلّف بها: ${count}` },
})

/** Returns the message for the caller who had assignees notified. */
export function notificationMessage(assigneeCount: number, reportCount: number): Bilingual {
  const assignees = countNoun(assigneeCount, assigneeNoun, { genitive: true })
  const reports = countNoun(reportCount, reportNoun, { genitive: true })
  return { en: `${assignees.en} notified, of ${reports.en}`, ar: `تم إشعار ${assignees.ar} بشأن ${reports.ar}` }
}
