import type { ErrorInfo } from 'react'
import { useLocation } from '@tanstack/react-router'
import { pathTo, segmentsOf } from '@caretaker/rules/links/places.ts'
import { reportError } from '../api/errors.ts'
import { queryClient } from '../api/query-client.ts'
import { AppLink } from '../ui/link.tsx'
import { usePageTitle } from '../api/page-title.ts'
import classes from './error-screen.module.css'

/** The error page for failures of the portal itself, also shown by a route whose screen could not be rendered. */
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

/** Reports a rendering error to support. The router calls it once per error; only it has the component stack. */
export function reportRouteError(error: unknown, { componentStack }: ErrorInfo): void {
  reportError(error, segmentsOf(location.pathname)[0], componentStack ?? '')
  // Data that cannot be rendered would fail again, so it is dropped from the cache.
  setTimeout(() => queryClient.removeQueries({ type: 'inactive' }))
}
