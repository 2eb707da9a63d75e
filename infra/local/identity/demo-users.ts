import type { TokenRequest } from './mint-token.ts'

/** A demo user of the local stack, as the explorer offers them. */
export interface DemoUser extends TokenRequest {
  readonly label: Readonly<Record<'en' | 'ar', string>>
}

/** Users by name, who see different rows of the same tables. */
export const demoUsers: Readonly<Record<string, DemoUser>> = {
  alice: {
    subject: 'alice',
    label: { en: 'Alice, analyst for Texas and Ohio', ar: 'أليس، محللة لولايتي تكساس وأوهايو' },
    claims: { states: ['Texas', 'Ohio'], email: 'alice@example.com' },
  },
  bob: {
    subject: 'bob',
    label: { en: 'Bob, supervisor of all states', ar: 'بوب، مشرف على جميع الولايات' },
    claims: { role: 'supervisor', email: 'bob@example.com' },
  },
  carol: {
    subject: 'carol',
    label: { en: 'Carol, new here, without a state', ar: 'كارول، جديدة ولا ولاية لها' },
    claims: { email: 'carol@example.com' },
  },
}
