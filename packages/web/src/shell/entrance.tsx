import { AppLink } from '../ui/link.tsx'
import type { EntranceProps } from './entrance-frame.tsx'
import { EntranceFrame } from './entrance-frame.tsx'
import { OutboundBar } from './outbound-bar.tsx'

/** The frame of the steps before a client is selected. */
export function Entrance(props: EntranceProps) {
  return <EntranceFrame {...props} link={AppLink} note={<OutboundBar />} />
}
