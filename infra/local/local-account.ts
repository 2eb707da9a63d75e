/** The account in which the local services live; they ask for signed requests, but check no signature. */
export const localAccount = { id: '000000000000', region: 'eu-central-1' } as const

/** The settings of SDK clients for the local services. */
export const localCredentials = {
  region: localAccount.region,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const
