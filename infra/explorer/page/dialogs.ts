// The part `dialogs`: all that lies in front of the page.
export { ActionDialog } from './actions/action-dialog.tsx'
export { DetailsDialog } from './actions/details-dialog.tsx'
export { ImportDialog } from './imports/import-dialog.tsx'
export { RequestDialog } from './requests/request-dialog.tsx'
export { SignInDialog } from './session/sign-in-dialog.tsx'
export { Modal } from './ui/modal.tsx'
