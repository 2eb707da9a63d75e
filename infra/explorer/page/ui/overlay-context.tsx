import { CSPProvider } from '@base-ui/react/csp-provider'
import { DirectionProvider } from '@base-ui/react/direction-provider'
import type { ReactNode } from 'react'
import { useWords } from '../texts/language.tsx'

/** Sets the text direction of dialogs and popups, and turns off style elements, which the page's policy forbids. */
export const OverlayContext = ({ children }: { readonly children: ReactNode }) => (
  <DirectionProvider direction={useWords().language === 'ar' ? 'rtl' : 'ltr'}>
    <CSPProvider disableStyleElements>{children}</CSPProvider>
  </DirectionProvider>
)
