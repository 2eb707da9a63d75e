import { CSPProvider } from '@base-ui/react/csp-provider'
import { DirectionProvider } from '@base-ui/react/direction-provider'
import type { ReactNode } from 'react'
import { useWords } from '../texts/language.tsx'

/** Tells what lies above the page which way it reads, and that its policy takes no styles of theirs. */
export const OverlayContext = ({ children }: { readonly children: ReactNode }) => (
  <DirectionProvider direction={useWords().language === 'ar' ? 'rtl' : 'ltr'}>
    <CSPProvider disableStyleElements>{children}</CSPProvider>
  </DirectionProvider>
)
