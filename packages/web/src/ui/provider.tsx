import '@fontsource-variable/inter/index.css'
import '@mantine/core/styles.layer.css'
import '@mantine/notifications/styles.layer.css'
import './global.css'
import type { ReactNode } from 'react'
import { MantineProvider } from '@mantine/core'
import { schemeManager } from './colour-scheme.ts'
import { theme } from './theme.ts'
import { tokens } from './tokens.ts'
import { Toasts } from './toasts.tsx'

/** Theme, styles and toasts: wraps the whole application once. */
export function UiProvider({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={() => tokens}
      colorSchemeManager={schemeManager}
      defaultColorScheme="auto"
    >
      <Toasts />
      {children}
    </MantineProvider>
  )
}
