import { useEffect } from 'react'

/** Sets the title of the browser tab: screen, client, product. */
export function usePageTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter(Boolean), 'Caretaker'].join(' – ')
  useEffect(() => {
    document.title = title
  }, [title])
}
