import { useEffect, useState } from 'react'

/** Longer than the fade-out of a dialog, whose content is still visible. */
const afterFading = 2_000

/** Creates an object URL for a file and revokes it after unmounting. Calls `make` once. */
export function useObjectUrl(make: () => Blob): string {
  const [address] = useState(() => URL.createObjectURL(make()))
  useEffect(
    () => () => {
      setTimeout(() => URL.revokeObjectURL(address), afterFading)
    },
    [address],
  )
  return address
}
