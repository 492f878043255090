import '@fontsource-variable/inter/index.css'
import './start.css'
import './ui/global.css'
import { callbackPath } from '@caretaker/rules/links/places.ts'
import { mayBeSignedIn } from './api/sign-in-start.ts'
import { openSignedOutPage, showOpening } from './shell/signed-out-page.tsx'
import { applyStoredScheme } from './ui/stored-scheme.ts'
import { writeTokens } from './ui/write-tokens.ts'

applyStoredScheme()
writeTokens()

// Inside the root, so that the application replaces it.
const page = document.createElement('div')
document.getElementById('root')!.append(page)

function startApplication(): void {
  showOpening(page)
  import('./main.tsx').catch(() => showOpening(page, 'The server cannot be reached.', () => location.reload()))
}

/** Starts the application once a user is signed in: here before, in another tab, or while this page was left. */
function startIfSignedIn(): void {
  if (page.isConnected && mayBeSignedIn()) startApplication()
}

if (location.pathname === callbackPath || mayBeSignedIn()) startApplication()
else {
  addEventListener('storage', startIfSignedIn)
  addEventListener('pageshow', startIfSignedIn)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyStoredScheme)
  void openSignedOutPage(page)
}
