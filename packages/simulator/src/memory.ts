import { setFlagsFromString } from 'node:v8'

// Without this flag, the heap is a third larger; hundreds of idle connections do not need the speed. Must be set before
// the heap grows.
setFlagsFromString('--optimize-for-size')
