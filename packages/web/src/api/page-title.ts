import { useEffect } from 'react'

/** Names the page in the browser's tab: the screen first, then the client, then the product. */
export function usePageTitle(...parts: (string | undefined)[]): void {
  const title = [...parts.filter(Boolean), 'Caretaker'].join(' – ')
  useEffect(() => {
    document.title = title
  }, [title])
}
