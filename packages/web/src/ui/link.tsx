import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { useRouter } from '@tanstack/react-router'

/** Whether a click asks for this page, and not for a new tab or window. */
export function isPlainClick(event: MouseEvent): boolean {
  return (
    !event.defaultPrevented &&
    event.button === 0 &&
    !event.ctrlKey &&
    !event.metaKey &&
    !event.shiftKey &&
    !event.altKey
  )
}

/** A function that goes to an address of the application; outside a router it loads the page. */
export function useGoTo(): (href: string) => void {
  const router = useRouter({ warn: false }) as ReturnType<typeof useRouter> | undefined
  return (href) => {
    if (router) void router.navigate({ href })
    else window.location.assign(href)
  }
}

/** A real link to an address of the application given as text: pressed, it changes the page without loading it anew. */
export function AppLink({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const goTo = useGoTo()
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        onClick?.(event)
        if (!isPlainClick(event)) return
        event.preventDefault()
        goTo(href)
      }}
    />
  )
}
