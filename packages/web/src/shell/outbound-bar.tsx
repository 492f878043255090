import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '../api/settings.ts'
import { OutboundNote } from './outbound-note.tsx'

/** States on every page that nothing leaves this installation; other installations show nothing. */
export function OutboundBar() {
  // The start of the session has loaded the settings.
  const { data } = useQuery({ ...settingsQuery, enabled: false })
  if (data?.outbound !== false) return null
  return <OutboundNote />
}
