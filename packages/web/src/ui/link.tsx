import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { useRouter } from '@tanstack/react-router'

/** Whether a click navigates in this page, and not in a new tab or window. */
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

/** Returns a function that navigates to an address; outside a router it loads the page. */
export function useGoTo(): (href: string) => void {
  const router = useRouterIfAny()
  return (href) => {
    if (router) void router.navigate({ href })
    else window.location.assign(href)
  }
}

/** Returns a function that prefetches the page of an address. */
export function usePrefetch(): (href: string) => void {
  const router = useRouterIfAny()
  // A failed prefetch is reported when the page is opened.
  return (href) => void router?.preloadRoute({ href } as never).catch(() => undefined)
}

/** A real link to an address of the application that navigates without a page load. */
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
