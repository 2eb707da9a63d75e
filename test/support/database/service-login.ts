/** The role of the functions in every database of a test run. */
export const serviceLogin = { user: 'table_control_service', password: 'the-password-of-every-test-run' } as const
