import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/** What list_files.py does with each file. Spark's own compiler, Janino, takes it: no lambdas, few generics. */
public class ListFiles {
    /** The entries of each folder, in the order of the folders, which are listed at the same time. */
    public List<FileStatus[]> list(final FileSystem system, Map<String, Path> folders) {
        // The values of a map are one task up to 1,024 of them. FileSystem.listFiles, in place of listStatus, makes one
        // call of this, but on a local disk it starts a process for each file.
        return new ArrayList(new ArrayList(folders.values()).parallelStream().map(new Function() {
            public Object apply(Object folder) {
                try {
                    return system.listStatus((Path) folder);
                } catch (IOException error) {
                    throw new UncheckedIOException(error);
                }
            }
        }).toList());
    }

    /** Adds a row for each file; returns the folders by their paths as text. */
    public Map<String, Path> split(List<FileStatus[]> listed, List<Row> rows) {
        Map<String, Path> folders = new LinkedHashMap<String, Path>();
        for (FileStatus[] entries : listed) {
            for (FileStatus entry : entries) {
                String path = entry.getPath().toString();
                if (entry.isDirectory()) folders.put(path, entry.getPath());
                else rows.add(RowFactory.create(path, entry.getLen(), entry.getModificationTime()));
            }
        }
        return folders;
    }

    /** Removes the folders whose paths are in one text. */
    public void removeFolders(Map<String, Path> folders, String paths, String between) {
        for (String path : paths.split(between)) folders.remove(path);
    }

    /** The positions of the folders that have more than so many entries. */
    public List<Integer> findLarge(List<FileStatus[]> listed, int limit) {
        List<Integer> positions = new ArrayList<Integer>();
        for (int position = 0; position < listed.size(); position++) {
            if (((FileStatus[]) listed.get(position)).length > limit) positions.add(position);
        }
        return positions;
    }

    /** The greatest of the names that match a pattern; null if none does. */
    public String findNewest(FileStatus[] entries, String pattern) {
        Pattern compiled = Pattern.compile(pattern);
        String newest = null;
        for (FileStatus entry : entries) {
            String name = entry.getPath().getName();
            boolean isNewer = newest == null || name.compareTo(newest) > 0;
            if (isNewer && compiled.matcher(name).matches()) newest = name;
        }
        return newest;
    }

    /** The entries whose names do not match a pattern. */
    public FileStatus[] withoutNames(FileStatus[] entries, String pattern) {
        Pattern compiled = Pattern.compile(pattern);
        List<FileStatus> others = new ArrayList<FileStatus>();
        for (FileStatus entry : entries) {
            if (!compiled.matcher(entry.getPath().getName()).matches()) others.add(entry);
        }
        return (FileStatus[]) others.toArray(new FileStatus[0]);
    }
}
