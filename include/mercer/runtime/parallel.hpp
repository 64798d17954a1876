// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/parallel.hpp - the only way Mercer runs on several threads.
//
// Work is cut into tiles whose number and bounds depend on the problem alone, never on the thread
// count. Any thread may take any tile; as a tile writes only its own output, the result has the
// same bits for every thread count. Sums over tiles are made afterwards, in tile order.
#pragma once

#include <functional>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;

/// Calls body(tile, worker) for tile = 0 .. tiles-1, each once, on up to context.threads() threads.
///
/// `worker` in 0 .. context.threads()-1 names the calling thread's scratch. The first exception
/// thrown by a body stops the handing out of tiles and is rethrown here. When the context asks to
/// stop, the remaining tiles are not run and Interrupted is thrown. Not nestable: a parallel_for
/// inside a body runs its tiles on the calling thread.
void parallel_for(Context& context, index_t tiles,
                  const std::function<void(index_t tile, int worker)>& body);

}  // namespace mercer
