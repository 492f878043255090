import { useParams } from '@tanstack/react-router'
import { ImportPage } from './import-page.tsx'
import { StartPage } from './start-page.tsx'

/** Where lists of homes come in: all of them, or the one that the address names. */
export function ImportsPage() {
  const { importId } = useParams({ strict: false })
  return importId === undefined ? <StartPage /> : <ImportPage key={importId} importId={importId} />
}
