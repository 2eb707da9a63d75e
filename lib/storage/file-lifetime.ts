import type { Config } from '../config.ts'

const minutesPerDay = 1_440

/** Returns for how many minutes the links of jobs work: they are read hours or days later. */
export const jobLinkMinutes = ({ MAIL_LINK_DAYS }: Pick<Config, 'MAIL_LINK_DAYS'>): number =>
  MAIL_LINK_DAYS * minutesPerDay
