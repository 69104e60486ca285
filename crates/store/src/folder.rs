//! Making folders durable.

use std::io;
use std::path::Path;

use model::world::Disk;

/// Syncs a folder and all above it, so that its name cannot be lost either: a process may have been killed between
/// making a folder and syncing its parent. Folders above that may not be read are left to their owner.
///
/// # Errors
/// When the disk fails.
pub fn sync_with_ancestors(disk: &dyn Disk, folder: &Path) -> io::Result<()> {
    disk.sync_dir(folder)?;
    for above in folder.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
        match disk.sync_dir(above) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => break,
            other => other?,
        }
    }
    Ok(())
}
