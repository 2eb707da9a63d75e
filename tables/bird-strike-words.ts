import type { Bilingual } from '#lib'

/** What the reports write, and what it means. */
export const damages = {
  None: { en: 'None', ar: 'لا شيء' },
  Minor: { en: 'Minor', ar: 'طفيف' },
  Medium: { en: 'Medium', ar: 'متوسط' },
  Substantial: { en: 'Substantial', ar: 'جسيم' },
  C: { en: 'Destroyed', ar: 'تدمير' },
}

export const sizes = {
  Small: { en: 'Small', ar: 'صغير' },
  Medium: { en: 'Medium', ar: 'متوسط' },
  Large: { en: 'Large', ar: 'كبير' },
}

export const phases = {
  Parked: { en: 'Parked', ar: 'متوقفة' },
  Taxi: { en: 'Taxi', ar: 'السير على الأرض' },
  'Take-off run': { en: 'Take-off run', ar: 'جري الإقلاع' },
  Climb: { en: 'Climb', ar: 'الصعود' },
  Descent: { en: 'Descent', ar: 'النزول' },
  Approach: { en: 'Approach', ar: 'الاقتراب' },
  'Landing Roll': { en: 'Landing roll', ar: 'جري الهبوط' },
}

export const timesOfDay = {
  Dawn: { en: 'Dawn', ar: 'الفجر' },
  Day: { en: 'Day', ar: 'النهار' },
  Dusk: { en: 'Dusk', ar: 'الغسق' },
  Night: { en: 'Night', ar: 'الليل' },
}

/** What a column shows for such values. */
export const shownAs = (labels: Readonly<Record<string, Bilingual>>) =>
  Object.fromEntries(Object.entries(labels).map(([value, label]) => [value, { label }]))
