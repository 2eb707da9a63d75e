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
