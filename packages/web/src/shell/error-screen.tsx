import type { ErrorInfo } from 'react'
import { useLocation } from '@tanstack/react-router'
import { pathTo, segmentsOf } from '@caretaker/rules/links/places.ts'
import { reportError } from '../api/errors.ts'
import { queryClient } from '../api/query-client.ts'
import { AppLink } from '../ui/link.tsx'
import { usePageTitle } from '../api/page-title.ts'
import classes from './error-screen.module.css'

/** The error page: something of the portal itself went wrong. Also what a route shows in place of a screen that could not be drawn. */
export function ErrorScreen() {
  usePageTitle('Error')
  const tenant = useLocation({ select: ({ pathname }) => segmentsOf(pathname)[0] })
  return (
    <section className={classes.screen} role="alert">
      <h1 className={classes.title}>Woops... something has gone wrong</h1>
      <p className={classes.text}>Support has been notified.</p>
      <AppLink className={classes.back} href={tenant ? pathTo(tenant, 'Dashboard') : '/'}>
        Back to the Dashboard
      </AppLink>
    </section>
  )
}

/** Tells support of a screen that could not be drawn. The router calls it once an error; nothing else gets to know the component stack. */
export function reportRouteError(error: unknown, { componentStack }: ErrorInfo): void {
  reportError(error, segmentsOf(location.pathname)[0], componentStack ?? '')
  // Data that cannot be drawn would fail again at once: whoever comes back begins with fresh data.
  setTimeout(() => queryClient.removeQueries({ type: 'inactive' }))
}
