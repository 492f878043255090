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

function useRouterIfAny() {
  return useRouter({ warn: false }) as ReturnType<typeof useRouter> | undefined
}

/** A function that goes to an address of the application; outside a router it loads the page. */
export function useGoTo(): (href: string) => void {
  const router = useRouterIfAny()
  return (href) => {
    if (router) void router.navigate({ href })
    else window.location.assign(href)
  }
}

/** A function that loads what the page at an address needs, when somebody seems about to go there. */
export function usePrefetch(): (href: string) => void {
  const router = useRouterIfAny()
  // A page that cannot be loaded ahead says so when it is opened.
  return (href) => void router?.preloadRoute({ href } as never).catch(() => undefined)
}

/** A real link to an address of the application given as text: pressed, it changes the page without loading it anew. */
export function AppLink({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const goTo = useGoTo()
  const prefetch = usePrefetch()
  return (
    <a
      onMouseEnter={() => prefetch(href)}
      onFocus={() => prefetch(href)}
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
