// The part `dialogs`: all that lies in front of the page.
export { TableDialogs } from './actions/table-dialogs.tsx'
export { ImportDialog } from './imports/import-dialog.tsx'
export { RequestDialog } from './requests/request-dialog.tsx'
export { SignInDialog } from './session/sign-in-dialog.tsx'
export { Modal } from './ui/modal.tsx'
