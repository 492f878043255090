import { useParams } from '@tanstack/react-router'
import { ImportPage } from './import-page.tsx'
import { StartPage } from './start-page.tsx'

/** The import pages: the list of imports, or the one in the address. */
export function ImportsPage() {
  const { importId } = useParams({ strict: false })
  return importId === undefined ? <StartPage /> : <ImportPage key={importId} importId={importId} />
}
